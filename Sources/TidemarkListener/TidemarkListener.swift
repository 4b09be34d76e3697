// TidemarkListener
