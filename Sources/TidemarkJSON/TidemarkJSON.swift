// TidemarkJSON
