import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeReadProblem } from '../../files/file-problem.ts'
import { readFrames } from './format.ts'
import { KEPT_FOLDER } from './kept-segments.ts'
import { parseSegment } from './segment-name.ts'
import { DAMAGED_FOLDER } from './segments.ts'

/** A segment of a journal. */
export type InspectedSegment = {
  /** The file within the journal's folder. */
  file: string
  bytes: number
  /** The number of clicks that can be read, imported or not. */
  clicks: number
  /** The number of bytes that cannot be read. */
  damagedBytes: number
}

/** Returns every segment of a journal folder, then those that are kept and set aside. Changes nothing. */
export function inspectJournal(dir: string): InspectedSegment[] {
  return ['', KEPT_FOLDER, DAMAGED_FOLDER].flatMap((folder) =>
    listSegments(join(dir, folder)).flatMap((name) => {
      const file = join(folder, name)
      const data = readIfPresent(join(dir, file))
      if (!data) return []
      const { records, offset, skippedBytes, hasPartialEnd } = readFrames(data)
      const damagedBytes = skippedBytes + (hasPartialEnd ? data.length - offset : 0)
      return { file, bytes: data.length, clicks: records.length, damagedBytes }
    }),
  )
}

/** Returns the number of segments that were set aside. */
export function countDamagedSegments(dir: string): number {
  return listSegments(join(dir, DAMAGED_FOLDER)).length
}

function listSegments(folder: string): string[] {
  try {
    return readdirSync(folder)
      .sort()
      .filter((name) => parseSegment(name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new Error(describeReadProblem(folder, error), { cause: error })
  }
}

/** Returns undefined if the importer deletes the file at the same time. */
function readIfPresent(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(describeReadProblem(path, error), { cause: error })
  }
}
