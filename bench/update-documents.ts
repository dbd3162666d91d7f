import { readArguments } from '../scripts/arguments.ts'
import { writeDocuments } from './results.ts'

readArguments(`Usage: bin/node bench/update-documents.ts

Writes the figures of results.json to all documents, without measuring.`)
await writeDocuments()
