// TidemarkServer
