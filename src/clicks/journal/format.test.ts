import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ClickRecord,
  FRAME_HEADER,
  MAX_FRAME,
  MAX_RECORD,
  readFrames,
  sealFrame,
  UNCOUNTED_REASONS,
  writeRecord,
} from './format.ts'

const latin1Text = (maxLength: number, minLength = 0) =>
  fc.string({
    minLength,
    unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
    maxLength,
  })

const record: fc.Arbitrary<ClickRecord> = fc.record({
  linkId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  at: fc.integer({ min: 0, max: Date.UTC(2280, 0, 1) }),
  address: latin1Text(64),
  userAgent: latin1Text(512),
  referrer: latin1Text(1024),
  languages: latin1Text(64),
  variant: fc.option(latin1Text(253, 1), { nil: undefined }),
  country: fc.option(fc.constantFrom('DE', 'GB', 'ZZ'), { nil: undefined }),
  isScan: fc.constantFrom(true, undefined),
  lacksBrowserHeaders: fc.constantFrom(true, undefined),
  uncounted: fc.option(fc.constantFrom(...UNCOUNTED_REASONS), { nil: undefined }),
})
const frames = fc.array(fc.array(record, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 4,
})

function createFrame(records: readonly ClickRecord[]): Buffer {
  const buffer = Buffer.alloc(FRAME_HEADER + records.length * MAX_RECORD)
  let end = FRAME_HEADER
  for (const click of records) end = writeRecord(buffer, end, click)
  return Buffer.from(sealFrame(buffer, end))
}

describe('frames of clicks', () => {
  test('are read as written', () => {
    fc.assert(
      fc.property(frames, (batches) => {
        const bytes = Buffer.concat(batches.map(createFrame))
        expect(readFrames(bytes)).toEqual({
          records: batches.flat(),
          offset: bytes.length,
          skippedBytes: 0,
          hasPartialEnd: false,
        })
      }),
    )
  })

  test('are read up to the end of a file truncated at any byte', () => {
    const batches = [
      [createClick(1), createClick(2)],
      [createClick(3)],
      [createClick(4), createClick(5)],
    ]
    const encoded = batches.map(createFrame)
    const bytes = Buffer.concat(encoded)
    const frameEnds = encoded.map((_, index) => Buffer.concat(encoded.slice(0, index + 1)).length)
    for (let truncated = 0; truncated <= bytes.length; truncated += 1) {
      const completeFrames = frameEnds.filter((end) => end <= truncated).length
      const offset = frameEnds[completeFrames - 1] ?? 0
      expect(readFrames(bytes.subarray(0, truncated))).toEqual({
        records: batches.slice(0, completeFrames).flat(),
        offset,
        skippedBytes: 0,
        hasPartialEnd: truncated > offset,
      })
    }
  })

  test('are lost only if bits in them are flipped', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), (batches, flips) => {
        const encoded = batches.map(createFrame)
        const bytes = Buffer.concat(encoded)
        const original = Buffer.from(bytes)
        for (const flip of flips) {
          const bit = flip % (bytes.length * 8)
          bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
        }
        let start = 0
        const intact = batches.filter((_, index) => {
          const end = start + (encoded[index]?.length ?? 0)
          const isUnchanged = bytes.subarray(start, end).equals(original.subarray(start, end))
          start = end
          return isUnchanged
        })
        expect(readFrames(bytes).records).toEqual(intact.flat())
      }),
    )
  })

  test('are found after garbage, but not in garbage alone', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (garbage) => {
        const good = createFrame([createClick(7)])
        expect(readFrames(Buffer.from(garbage)).records).toEqual([])
        expect(readFrames(Buffer.concat([garbage, good]))).toEqual({
          records: [createClick(7)],
          offset: garbage.length + good.length,
          skippedBytes: garbage.length,
          hasPartialEnd: false,
        })
      }),
    )
  })

  test('are skipped if incomplete, but only once a complete frame follows', () => {
    const garbage = Buffer.concat([
      Buffer.from('ab'),
      createFrame([createClick(1)]).subarray(0, 20),
    ])
    expect(readFrames(garbage)).toEqual({
      records: [],
      offset: 0,
      skippedBytes: 0,
      hasPartialEnd: true,
    })
    const bytes = Buffer.concat([garbage, createFrame([createClick(2)]), garbage])
    expect(readFrames(bytes)).toEqual({
      records: [createClick(2)],
      offset: bytes.length - garbage.length,
      skippedBytes: garbage.length,
      hasPartialEnd: true,
    })
  })

  test('are treated as damage if their length is wrong', () => {
    for (const length of [0, 1, MAX_FRAME + 1, 0xffff_ffff]) {
      const bytes = createFrame([createClick(1)])
      bytes.writeUInt32LE(length, 4)
      expect(readFrames(bytes)).toMatchObject({ records: [], offset: 0, hasPartialEnd: true })
    }
    const tooShort = createFrame([createClick(1)])
    tooShort.writeUInt32LE(tooShort.length - FRAME_HEADER + 1, 4)
    expect(readFrames(tooShort)).toMatchObject({ records: [], offset: 0, hasPartialEnd: true })
  })

  test('are neither empty nor larger than the limit', () => {
    for (const [payloadBytes, isInvalid] of [
      [0, true],
      [MAX_FRAME, false],
      [MAX_FRAME + 1, true],
    ] as const) {
      const buffer = Buffer.alloc(FRAME_HEADER + payloadBytes)
      expect(readFrames(sealFrame(buffer, buffer.length)).hasPartialEnd).toBe(isInvalid)
    }
  })

  test('are skipped if their records do not fill them exactly', () => {
    const good = createFrame([createClick(1)])
    for (const surplus of [1, 21, 30]) {
      const records = createFrame([createClick(2), createClick(3)])
      const badRecords = Buffer.concat([records, Buffer.alloc(surplus, 0xff)])
      const bytes = Buffer.concat([good, sealFrame(badRecords, badRecords.length), good])
      expect(readFrames(bytes)).toEqual({
        records: [createClick(1), createClick(1)],
        offset: bytes.length,
        skippedBytes: badRecords.length,
        hasPartialEnd: false,
      })
    }
  })

  test('are read up to a limit, and reading continues after it', () => {
    const bytes = Buffer.concat([
      createFrame([createClick(1), createClick(2)]),
      createFrame([createClick(3)]),
    ])
    for (const limit of [1, 2]) {
      const first = readFrames(bytes, limit)
      expect(first.records).toEqual([createClick(1), createClick(2)])
      expect(readFrames(bytes.subarray(first.offset)).records).toEqual([createClick(3)])
    }
    expect(readFrames(bytes, 3).records).toEqual([createClick(1), createClick(2), createClick(3)])
  })
})

describe('a record', () => {
  test('has headers truncated to their limits', () => {
    const address = '1'.repeat(70)
    const userAgent = 'a'.repeat(5000)
    const referrer = 'b'.repeat(5000)
    const languages = `${'d'.repeat(64)},en`
    const truncated = {
      ...createClick(1),
      address: '1'.repeat(64),
      userAgent: 'a'.repeat(512),
      referrer: 'b'.repeat(1024),
      languages: 'd'.repeat(64),
      variant: 'v'.repeat(253),
    }
    const variant = 'v'.repeat(300)
    const bytes = createFrame([{ ...truncated, address, userAgent, referrer, languages, variant }])
    expect(readFrames(bytes).records).toEqual([truncated])
    expect(bytes.length).toBe(FRAME_HEADER + MAX_RECORD)
  })

  test('of minimum and maximum size is read as written', () => {
    const emptyHeaders = { address: '', userAgent: '', referrer: '', languages: '' }
    const extremes = [
      { linkId: 1, at: 0, ...emptyHeaders },
      { linkId: Number.MAX_SAFE_INTEGER, at: Date.UTC(2280, 0, 1), ...emptyHeaders },
    ]
    for (const record of extremes)
      expect(readFrames(createFrame([record])).records).toEqual([record])
  })

  test('has a time in whole milliseconds', () => {
    expect(readFrames(createFrame([{ ...createClick(1), at: 1000.9 }])).records).toEqual([
      { ...createClick(1), at: 1000 },
    ])
  })

  test.each([
    ['an ID that is not a number', { linkId: Number.NaN }],
    ['an ID that is not an integer', { linkId: 1.5 }],
    ['the ID 0', { linkId: 0 }],
    ['a time that is not a number', { at: Number.NaN }],
    ['a time before 1970', { at: -1 }],
    ['a time after 2279', { at: Date.UTC(2280, 0, 1) + 1 }],
    ['a time beyond the range of dates', { at: 1e17 }],
  ])('with %s is skipped', (_, invalidFields) => {
    expect(
      readFrames(
        createFrame([createClick(1), { ...createClick(2), ...invalidFields }, createClick(3)]),
      ).records,
    ).toEqual([createClick(1), createClick(3)])
  })
})

describe('a journal in a previous format', () => {
  /** A frame of two clicks in format version 1. */
  const oldFrame = Buffer.from(
    'ff4c4b014c000000a80d306b000000000000f03f00008056febc78420900070000003139322e302e' +
      '322e3146697265666f78000000000000004000008056febc78420900070000003139322e302e322e' +
      '3146697265666f78',
    'hex',
  )

  test('can be read without languages, even mixed with the current format', () => {
    const oldRecord = { ...createClick(1), languages: '' }
    expect(readFrames(oldFrame).records).toEqual([oldRecord, { ...oldRecord, linkId: 2 }])
    const mixedBytes = Buffer.concat([oldFrame, createFrame([createClick(3)]), oldFrame])
    expect(readFrames(mixedBytes)).toMatchObject({ skippedBytes: 0, hasPartialEnd: false })
    expect(readFrames(mixedBytes).records.map(({ linkId }) => linkId)).toEqual([1, 2, 3, 1, 2])
  })

  test('of version 2 can be read without countries', () => {
    const frame = Buffer.from(
      'ff4c4b022b000000a510ccbb000000000000f03f00008056febc784209000700000002013139322e302e' +
        '322e3146697265666f78646576',
      'hex',
    )
    expect(readFrames(frame).records).toEqual([{ ...createClick(1), variant: 'v' }])
  })

  test('of version 3 can be read without why visits do not count', () => {
    const frame = Buffer.from(
      'ff4c4b032d000000ef01a5cb000000000000f03f00008056febc784209000700000002014e4f3139322e30' +
        '2e322e3146697265666f78646576',
      'hex',
    )
    expect(readFrames(frame).records).toEqual([{ ...createClick(1), variant: 'v', country: 'NO' }])
  })

  test('is not mistaken for the current format if its version is damaged', () => {
    const bytes = createFrame([createClick(1)])
    // The byte at 3 is the version.
    bytes.writeUInt8(1, 3)
    expect(readFrames(bytes)).toMatchObject({ records: [], hasPartialEnd: true })
  })
})

function createClick(linkId: number): ClickRecord {
  const address = '192.0.2.1'
  const userAgent = 'Firefox'
  return { linkId, at: 1_700_000_000_000, address, userAgent, referrer: '', languages: 'de' }
}
