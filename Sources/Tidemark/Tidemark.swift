// Tidemark
