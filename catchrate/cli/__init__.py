"""The command line: one module a command, imported when it is asked for."""

import gc
import importlib
import os
from collections.abc import Iterator

import click

from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, complain, finish

# Name of the command -> its one line in the overview. Its module has the same name and holds `command`;
# `import` is a word of Python, and no name of a module.
_COMMANDS = {
    "score": "Score reviewers on a fixture: catch rate, noise, precision, F1, gates.",
    "leaderboard": "Rank all reviewers, and say which of them cannot be told apart.",
    "power": "Say what a corpus can show before it is labelled: interval, smallest difference.",
    "compare": "Say what changed between two reports or fixtures, and gate what was lost.",
    "check": "Only validate fixtures; say every fault.",
    "show": "Put one case's issues and findings side by side.",
    "new-case": "Start a case, with placeholders for what is to be filled in.",
    "curation": "Say what is left to do in a corpus, and what speaks against it.",
    "agreement": "Compare the labels of two raters: agreement, kappa, what to settle.",
    "import": "Read raw outputs of reviewers into a fixture, as findings to be labelled.",
    "match": "Propose which issues the findings may match, and take a person's answers.",
    "merge": "Make one combined fixture of a folder of cases.",
    "split": "Make a folder of cases of a combined fixture.",
    "critic": "Feed known-bad and known-good diffs to a critic, and count what it lets pass.",
    "schema": "Print a public JSON Schema.",
    "config": "Show the project's settings that are in force, and where each comes from.",
}


class _Commands(click.Group):
    """The commands by name, each imported only when it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module = "import_raw" if cmd_name == "import" else cmd_name.replace("-", "_")
        command: click.Command = importlib.import_module(f"catchrate.cli.{module}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from catchrate.names import did_you_mean

            near = did_you_mean(args[0], _COMMANDS)
            ctx.fail(f"there is no command {args[0]!r}{near}")
        name, command, rest = super().resolve_command(ctx, args)
        if command:
            complain(_given_again(command, rest))
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


def _given_again(command: click.Command, args: list[str]) -> Iterator[str]:
    """Warn of options that hold one value and are given several: click takes the last one without a word."""
    args = args[: args.index("--")] if "--" in args else args
    for option in command.params:
        if not isinstance(option, click.Option) or option.multiple or option.is_flag:
            continue
        times = sum(arg.split("=", 1)[0] in option.opts for arg in args)
        if times > 1:
            yield f"warning: {option.opts[0]} is given {times} times: the last one counts"


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from catchrate import __version__

        click.echo(f"catchrate {__version__}")
        ctx.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version.",
)
def cli() -> None:
    """Score code reviewers against the known bugs of real pull requests.

    Exit status: 0 measured and every gate holds, 1 a gate does not hold, 2 could not measure.
    """


def main() -> None:
    """Run the command line and end the process with its exit status."""
    # What a command reads is acyclic and dropped by reference count; looking for cycles costs a third of the time.
    gc.disable()
    try:
        status = cli.main(prog_name="catchrate", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        status = EXIT_NOT_MEASURED
    except click.ClickException as error:
        # The words of the person come back in it, perhaps from a script: as harmless as all else.
        complain([" ".join(error.format_message().split())])
        if isinstance(error, click.UsageError) and error.ctx:
            complain([f"see {error.ctx.command_path} --help"])
        status = EXIT_NOT_MEASURED
    except (click.Abort, KeyboardInterrupt):
        complain(["interrupted"])
        status = 130
    except (BrokenPipeError, SystemExit):  # click exits by itself when the reader of its help has gone
        status = EXIT_OK
    except OSError as error:
        complain([f"could not write the output: {error.strerror or error}"])
        status = EXIT_NOT_MEASURED
    except UnicodeError:
        complain(["a name or an argument holds bytes that are no UTF-8 text: rename it"])
        status = EXIT_NOT_MEASURED
    except MemoryError:
        complain(["out of memory: nothing was measured"])
        status = EXIT_NOT_MEASURED
    except RecursionError:
        complain(["the input is nested too deeply: nothing was measured"])
        status = EXIT_NOT_MEASURED
    except Exception as error:  # 1 means that a gate does not hold: a fault of ours must not say that
        complain([f"internal error, nothing was measured: {type(error).__name__}: {error}", "please report this"])
        status = EXIT_NOT_MEASURED
    # All is written and flushed. Taking the interpreter apart would cost a short run a tenth of its time.
    os._exit(finish(status or 0))
