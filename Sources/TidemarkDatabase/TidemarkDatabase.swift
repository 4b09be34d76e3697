// TidemarkDatabase
