"""The accounts, and how users change their passwords."""

from dataclasses import dataclass

from accounts.passwords import check_strength, matches, stored


class AccountError(Exception):
    """Something that cannot be done with an account, with a reason for its user."""


@dataclass
class Account:
    """A user with an e-mail address and what is stored of the password."""

    email: str
    password: str


class Accounts:
    """All accounts, by e-mail address."""

    def __init__(self) -> None:
        self._accounts: dict[str, Account] = {}

    def create(self, email: str, password: str) -> Account:
        """Make an account."""
        if email in self._accounts:
            raise AccountError("there is an account with this address")
        check_strength(password)
        account = Account(email, stored(password))
        self._accounts[email] = account
        return account

    def signs_in(self, email: str, password: str) -> bool:
        """Tell whether address and password belong together."""
        account = self._accounts.get(email)
        return account is not None and matches(password, account.password)

    def change_password(self, email: str, old: str, new: str) -> None:
        """Set a new password with the help of the old one."""
        if not self.signs_in(email, old):
            raise AccountError("the old password is wrong")
        check_strength(new)
        self._accounts[email].password = stored(new)
