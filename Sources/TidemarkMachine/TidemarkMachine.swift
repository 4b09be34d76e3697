// TidemarkMachine
