"""The web part of a program."""
