import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/**
 * Describes a backup. It is stored in `manifest.json`, the last file of the backup. docs/backup.md
 * explains the format.
 */
export type Manifest = Static<typeof Manifest>
export type TableEntry = Manifest['tables'][number]
export type FileEntry = TableEntry['files'][number]

export const MANIFEST = 'manifest.json'
export const FORMAT = 'brevis-backup'
export const FORMAT_VERSION = 1

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const File = Type.Object({ name: Type.String(), bytes: Count, sha256: Type.String() })

/** The names of tables and columns are compared with the schema before they are used. */
const Table = Type.Object({
  name: Type.String(),
  columns: Type.Array(Type.String()),
  /** The identity column and the last value that it has assigned. */
  identity: Type.Union([Type.String(), Type.Null()]),
  last: Type.Union([Count, Type.Null()]),
  rows: Count,
  /** The files with the rows, in COPY's text format. Each one ends with a complete row. */
  files: Type.Array(File, { minItems: 1 }),
})

const Manifest = Type.Object({
  format: Type.Literal(FORMAT),
  formatVersion: Type.Literal(FORMAT_VERSION),
  brevisVersion: Type.String(),
  /** The id of the installation. Absent if the service has never started with the database. */
  installation: Type.Optional(Type.String({ pattern: '^[0-9a-f]{12}$' })),
  createdAt: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]{8,12}Z$' }),
  schemaVersion: Type.String(),
  migrations: Type.Array(Type.Object({ name: Type.String(), checksum: Type.String() })),
  /** The monthly partitions of raw clicks, for at most 200 years. */
  partitions: Type.Array(Type.String({ pattern: '^clicks_[12]\\d{3}_(0[1-9]|1[0-2])$' }), {
    maxItems: 2400,
  }),
  tables: Type.Array(Table),
  scripts: Type.Array(File),
})

/** Returns all files of the backup except the manifest, in archive order. */
export function listFiles({ tables, scripts }: Manifest): FileEntry[] {
  return [...tables.flatMap(({ files }) => files), ...scripts]
}

/** Parses a manifest. @throws Error if this version cannot read it */
export function parseManifest(text: string): Manifest {
  const value = JSON.parse(text)
  if (value?.format !== FORMAT) throw new Error(`its ${MANIFEST} was not written by Brevis`)
  if (value.formatVersion > FORMAT_VERSION) throw new Error('a newer version of Brevis wrote it')
  if (Value.Check(Manifest, value)) return value
  const path = Value.Errors(Manifest, value).First()?.path
  throw new Error(`its ${MANIFEST} is damaged (${path})`)
}
