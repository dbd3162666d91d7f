import { inspectJournal } from '../clicks/read.ts'
import { defineCommand } from './command.ts'

export const journalInspect = defineCommand({
  summary: 'list the files of the click journal, with their clicks and damage',
  async run({ config: { journalDir } }) {
    return { journal: journalDir, files: inspectJournal(journalDir) }
  },
})
