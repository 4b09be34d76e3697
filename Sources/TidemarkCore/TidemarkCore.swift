// TidemarkCore
