"""The rules, by what they look at; `all_rules` registers them."""
