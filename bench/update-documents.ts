import { writeDocuments } from './results.ts'

// Writes the figures of results.json to all documents, without measuring: bin/node bench/update-documents.ts
await writeDocuments()
