import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { type ClickRecord, readFrames } from '../../src/clicks/journal/format.ts'
import { type JournalOptions, openJournal } from '../../src/clicks/journal/journal.ts'
import { parseSegment } from '../../src/clicks/journal/segment-name.ts'

/** Opens a journal in a new folder, deleted with the test. */
export function openTestJournal(options: Partial<JournalOptions> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'brevis-journal-'))
  const journal = openJournal({
    dir,
    sync: 'background',
    onLoss: (_, error) => {
      throw error
    },
    ...options,
  })
  // Without this, the journal's timers would continue during later test files.
  onTestFinished(async () => {
    await journal.close().catch(() => {})
    rmSync(dir, { recursive: true, force: true })
  })
  return { journal, dir }
}

/** Replaces `setInterval` until the end of the test, which then advances the journal's timers. */
export function useFakeIntervals(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
}

/** Appends a click of this link. Resolves when it is stored. */
export function appendClick(journal: ReturnType<typeof openJournal>, id: number): Promise<void> {
  return new Promise((resolve) => journal.append(createClick(id), resolve))
}

/** Returns the segments in a journal's folder, with the ids of the links of their clicks. */
export function readSegments(dir: string): { sequence: number; ids: number[] }[] {
  return readdirSync(dir)
    .sort()
    .map((file) => ({
      sequence: parseSegment(file)?.sequence ?? 0,
      ids: readFrames(readFileSync(join(dir, file))).records.map(({ linkId }) => linkId),
    }))
}

export function createClick(linkId: number): ClickRecord {
  const address = '192.0.2.1'
  const userAgent = 'Firefox'
  return { linkId, at: 1_700_000_000_000, address, userAgent, referrer: '', languages: 'de' }
}
