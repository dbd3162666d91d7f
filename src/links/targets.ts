import { Type } from '@sinclair/typebox'
import { invalid } from '../errors.ts'
import { findCountryCode, getCountryName } from '../visitors/country-names.ts'
import { parseLanguageTarget } from '../visitors/language.ts'
import { parseDeviceTarget } from '../visitors/user-agent.ts'
import type { Field, FieldColumns, FieldRules } from './field.ts'
import { createUrlSchema } from './field-kinds.ts'
import { CONDITIONS } from './rules/conditions.ts'
import {
  listTargets,
  type Rule,
  replaceTargets,
  type StoredTarget,
  type TargetKind,
} from './rules/rule.ts'

export const MAX_TARGETS = 250

/** The three target lists: the names of their entries, and their format in responses. */
const LISTS = {
  country: {
    api: 'geotarget',
    name: 'location',
    canonicalize: findCountryCode,
    present: getCountryName,
    linkDescription: 'The destination for visitors from this country.',
  },
  device: {
    api: 'devicetarget',
    name: 'device',
    canonicalize: parseDeviceTarget,
    present: String,
    linkDescription: 'The destination for visitors with this device.',
  },
  language: {
    api: 'languagetarget',
    name: 'language',
    canonicalize: parseLanguageTarget,
    present: String,
    linkDescription: 'The destination for visitors who prefer this language.',
  },
} as const satisfies Record<TargetKind, List>

type List = {
  api: string
  name: string
  canonicalize: (name: string) => string | undefined
  present: (name: string) => string
  linkDescription: string
}
type Target<F extends TargetKind> = Record<(typeof LISTS)[F]['name'] | 'link', string>

/** Defines a list of targets, which is a view of the link's rules of one kind. */
export function defineTargetsField<F extends TargetKind>(field: string, kind: F) {
  const { api, name, canonicalize, present, linkDescription }: List = LISTS[kind]
  const schema = CONDITIONS[kind].schema.anyOf[0]
  return {
    kind: 'list',
    columns: {},
    api,
    schema: Type.Array(Type.Object({ [name]: schema, link: createUrlSchema(linkDescription) }), {
      maxItems: MAX_TARGETS,
    }),
    async read(
      value: readonly Target<F>[] | null,
      { current, checkUrl }: FieldRules,
      { rules }: Partial<FieldColumns>,
    ) {
      const rows = await parseTargets(value ?? [], { field, name, canonicalize, checkUrl })
      return { rules: replaceTargets((rules as Rule[] | undefined) ?? current, kind, rows) }
    },
    readStored: ({ rules }: FieldColumns) =>
      listTargets(rules as Rule[], kind).map((row) => ({
        [name]: row.name,
        link: row.link,
      })) as Target<F>[],
    details: {
      name,
      schema: Type.Record(Type.String(), Type.String()),
      present: (targets: readonly Record<string, string>[]) =>
        Object.fromEntries(
          targets.map((target) => [present(target[name] ?? '').toLowerCase(), target.link]),
        ),
    },
    file: { name: field, entry: { [name]: 'required', link: 'required' } },
  } satisfies Field<readonly Target<F>[]>
}

type Options = {
  /** The field's API name, for error messages. */
  field: string
  /** The property that identifies the visitors of an entry. */
  name: string
  /** Returns the canonical form of a name, or undefined if the name is unknown. */
  canonicalize: (name: string) => string | undefined
  checkUrl: (field: string, url: string) => string | Promise<string>
}

/**
 * Validates the entries of a target list and returns them with canonical names.
 *
 * @throws AppError `invalid_input` naming the entry whose name is unknown or repeated, or whose
 * link is invalid
 */
async function parseTargets(
  entries: readonly Readonly<Record<string, string>>[],
  { field, name, canonicalize, checkUrl }: Options,
): Promise<StoredTarget[]> {
  if (entries.length > MAX_TARGETS) throw invalid(field, 'at_most_entries', { max: MAX_TARGETS })
  const seen = new Set<string>()
  const rows: StoredTarget[] = []
  for (const [index, entry] of entries.entries()) {
    const entryField = `${field}[${index}]`
    const input = String(entry[name])
    const canonicalName = canonicalize(input)
    if (canonicalName === undefined) {
      throw invalid(`${entryField}.${name}`, 'unknown_name', {
        kind: name,
        name: input.slice(0, 64),
      })
    }
    if (seen.has(canonicalName))
      throw invalid(`${entryField}.${name}`, 'duplicate_name', { name: input.slice(0, 64) })
    seen.add(canonicalName)
    rows.push({ name: canonicalName, link: await checkUrl(`${entryField}.link`, entry.link ?? '') })
  }
  return rows
}
