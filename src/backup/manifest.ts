import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/** The contents of a backup: `manifest.json`, its last file. docs/backup.md describes the format. */
export type Manifest = Static<typeof Manifest>
export type TableEntry = Manifest['tables'][number]
export type FileEntry = TableEntry['files'][number]

export const MANIFEST = 'manifest.json'
export const FORMAT = 'brevis-backup'
export const FORMAT_VERSION = 1
/** Parts of a table, as many as five digits count: 800 GB. */
export const MAX_PARTS = 99_999
/** Limits what a forged backup can make a restore hold in memory. */
export const MAX_FILES = 200_000

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
/** Names reach error messages and SQL statements, so they contain nothing but plain characters. */
const Name = Type.String({ pattern: '^[a-z_][a-z0-9_]{0,62}$' })
const Version = Type.String({ pattern: '^[0-9A-Za-z.+-]{1,100}$' })
const MigrationName = Type.String({ pattern: '^\\d{4}-[a-z0-9-]{1,100}$' })
const Sum = Type.String({ pattern: '^[0-9a-f]{64}$' })
const File = Type.Object({
  name: Type.String({ pattern: '^[a-z0-9_.]{1,100}$' }),
  bytes: Count,
  sha256: Sum,
})

const Table = Type.Object({
  name: Name,
  columns: Type.Array(Name, { minItems: 1, maxItems: 1600 }),
  /** The identity column, and the last number that it has assigned. */
  identity: Type.Union([Name, Type.Null()]),
  last: Type.Union([Count, Type.Null()]),
  rows: Count,
  /** The rows in COPY's text format, in parts that end with a whole row. */
  files: Type.Array(File, { minItems: 1, maxItems: MAX_PARTS }),
})

const Manifest = Type.Object({
  format: Type.Literal(FORMAT),
  formatVersion: Type.Literal(FORMAT_VERSION),
  brevisVersion: Version,
  createdAt: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]{8,12}Z$' }),
  schemaVersion: MigrationName,
  migrations: Type.Array(Type.Object({ name: MigrationName, checksum: Sum }), {
    minItems: 1,
    maxItems: 9999,
  }),
  /** The monthly partitions of raw clicks: 200 years at most. */
  partitions: Type.Array(Type.String({ pattern: '^clicks_[12]\\d{3}_(0[1-9]|1[0-2])$' }), {
    maxItems: 2400,
  }),
  tables: Type.Array(Table, { maxItems: 10_000 }),
  scripts: Type.Array(File, { maxItems: 10 }),
})

/** Every file of the backup except the manifest, in the order of the archive. */
export function filesOf({ tables, scripts }: Manifest): FileEntry[] {
  return [...tables.flatMap(({ files }) => files), ...scripts]
}

/** @throws Error if the text is not a manifest that this version reads. */
export function parseManifest(text: string): Manifest {
  const value = parseJson(text)
  const { format, formatVersion } = (value ?? {}) as Record<string, unknown>
  if (format !== FORMAT) throw new Error(`its ${MANIFEST} is not one of Brevis`)
  if (Number(formatVersion) > FORMAT_VERSION) throw new Error('a newer version of Brevis wrote it')
  if (Value.Check(Manifest, value)) return value
  const wrong = Value.Errors(Manifest, value)
    .First()
    ?.path.replaceAll(/[^\w/]/g, '')
  throw new Error(`its ${MANIFEST} is damaged (${wrong || 'not an object'})`)
}

/** Invalid JSON is undefined, because the parser's error would quote it. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
