import { describe, expect } from 'vitest'
import { KIND } from '../../src/clicks/encoding/label-kinds.ts'
import { appendAll, createClick, openTestJournal } from '../support/click-journal.ts'
import { importTest } from '../support/imports.ts'
import { rawClicks } from '../support/raw-clicks.ts'

const AT = Date.now() - 3_600_000

const test = importTest().extend('countMarked', { scope: 'file' }, ({ database }) => {
  /** Returns the number of stored clicks of a link, and how many of them are marked. */
  return async (link: number) => {
    const clicks = await rawClicks(database.pool, [link])
    const marked = clicks.filter(({ labels }) => labels[KIND.automated] === 1)
    return [clicks.length, marked.length]
  }
})

const clicksOf = (link: number, count: number) =>
  Array.from({ length: count }, () => createClick(link, 1, { at: AT }))

describe('clicks of a busy visitor', () => {
  test('are counted once by an importer that fails and tries again', async ({
    countMarked,
    createImport,
    discrepancies,
    makeLink,
  }) => {
    const link = await makeLink()
    let failures = 3
    const { journal, importer } = createImport({
      onTestPoint(point) {
        if (point === 'before commit' && failures > 0) {
          failures -= 1
          throw new Error('The test fails the commit')
        }
      },
    })
    await appendAll(journal, clicksOf(link, 15))
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(importer.drain()).rejects.toThrow('fails the commit')
    }
    expect(await importer.drain()).toBe(15)
    expect(await countMarked(link)).toEqual([15, 0])
    await appendAll(journal, clicksOf(link, 10))
    expect(await importer.drain()).toBe(10)
    expect(await countMarked(link)).toEqual([25, 5])
    expect(await discrepancies()).toEqual([])
  })

  test('are added up over the journals of all workers', async ({
    countMarked,
    createImport,
    makeLink,
  }) => {
    const link = await makeLink()
    const { dir, journal, importer } = createImport()
    const other = openTestJournal(dir)
    await appendAll(journal, clicksOf(link, 12))
    await appendAll(other, clicksOf(link, 12))
    await importer.drain()
    expect(await countMarked(link)).toEqual([24, 4])
    await other.close()
  })
})
