"""The rules, by what they look at; importing `all_rules` registers them."""
