"""How often a critic, asked for a verdict on diffs known to be bad or good, is wrong."""
