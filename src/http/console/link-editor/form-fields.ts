import type { FormField } from '../../../links/field.ts'
import { FIELD_NAMES, FIELDS, type FieldName } from '../../../links/fields.ts'
import type { Rule } from '../../../links/rules/rule.ts'
import { formatTimestamp } from '../../timestamp.ts'
import type { FormRow, LinkForm } from './form.ts'
import { formatRules, parseRules } from './rules/form.ts'

/** A field of `links/fields.ts` with its form inputs. */
export type FormInputs = FormField & { field: FieldName }

export const FORM_FIELDS: readonly FormInputs[] = FIELD_NAMES.flatMap((field) => {
  const { form } = FIELDS[field]
  return form ? { ...form, field } : []
})

/** The lists of rows in the form. */
export const ROW_LISTS = FORM_FIELDS.flatMap(({ input, name }) => (input === 'rows' ? name : []))

/** Describes how the inputs of a kind represent a value. */
type Input = {
  /** Returns the names of the inputs. */
  names: (name: string) => readonly string[]
  /** Formats a stored value for the inputs. */
  format: (stored: never) => readonly string[]
  /** Parses the inputs. Returns null for an empty value. */
  parse: (texts: readonly string[]) => unknown
}

const INPUTS: Record<Exclude<FormField['input'], 'rows' | 'rules'>, Input> = {
  text: {
    names: (name) => [name],
    format: (stored: string | null) => [removeLineBreaks(stored ?? '')],
    parse: ([text]) => text || null,
  },
  url: {
    names: (name) => [name],
    format: (stored: string | null) => [stored ?? ''],
    parse: ([text = '']) => text.trim() || null,
  },
  multiline: {
    names: (name) => [name],
    // Browsers submit text areas with CRLF line breaks.
    format: (stored: string | null) => [normalizeLineBreaks(stored ?? '')],
    parse: ([text = '']) => normalizeLineBreaks(text) || null,
  },
  number: {
    names: (name) => [name],
    format: (stored: number | null) => [stored === null ? '' : String(stored)],
    parse: ([text = '']) => (text.trim() === '' ? null : Number(text)),
  },
  checkbox: {
    names: (name) => [name],
    format: (stored: boolean) => [stored ? 'yes' : ''],
    parse: ([text]) => text === 'yes',
  },
  domainFlag: {
    names: (name) => [name],
    format: (stored: boolean | null) => [stored === null ? '' : stored ? 'yes' : 'no'],
    parse: ([text]) => (text ? text === 'yes' : null),
  },
  moment: {
    names: (name) => [`${name}Day`, `${name}Time`],
    format: formatMoment,
    parse: parseMoment,
  },
  choice: {
    names: (name) => [name],
    format: (stored: string) => [stored],
    parse: ([text]) => text || null,
  },
}

/** Returns the names of a field's single inputs. */
export function listInputNames({ input, name }: FormField): readonly string[] {
  return input === 'rows' || input === 'rules' ? [] : INPUTS[input].names(name)
}

/** Formats a field's stored value for its inputs. */
export function formatField(
  { input, name, entry }: FormField,
  stored: unknown,
): Pick<LinkForm, 'texts' | 'rows' | 'rules'> {
  if (input === 'rules') {
    return { texts: {}, rows: {}, rules: formatRules(stored as readonly Rule[]) }
  }
  if (input !== 'rows') {
    const { names, format } = INPUTS[input]
    const texts = format(stored as never)
    return {
      rules: [],
      texts: Object.fromEntries(names(name).map((each, index) => [each, texts[index] ?? ''])),
      rows: {},
    }
  }
  const [first, second] = entry ?? ['name', 'value']
  const rows = (stored as readonly Record<string, string>[]).map((own) => ({
    name: removeLineBreaks(own[first] ?? ''),
    value: removeLineBreaks(String(own[second] ?? '')),
  }))
  return { texts: {}, rows: { [name]: rows }, rules: [] }
}

/** Parses a field's inputs. Null clears the field. */
export function parseField({ input, name, entry }: FormField, form: LinkForm): unknown {
  if (input === 'rules') return parseRules(form.rules)
  if (input !== 'rows') {
    const { names, parse } = INPUTS[input]
    return parse(names(name).map((each) => form.texts[each] ?? ''))
  }
  const [first, second] = entry ?? ['name', 'value']
  return (form.rows[name] ?? []).map((row: FormRow) => ({ [first]: row.name, [second]: row.value }))
}

/** Returns the ids of inputs by the path of a value in errors. `*` stands for the row of a list. */
export function mapErrorInputs({ field, input, name, entry }: FormInputs): Record<string, string> {
  if (input !== 'rows')
    return { [field]: listInputNames({ input, name, section: 'targeting' })[0] ?? name }
  const [first, second] = entry ?? ['name', 'value']
  return {
    [field]: name,
    [`${field}[*].${first}`]: `${name}-*-name`,
    [`${field}[*].${second}`]: `${name}-*-value`,
  }
}

/** Returns a text as browsers submit it from a single-line input. */
function removeLineBreaks(text: string): string {
  return text.replace(/[\r\n]/g, '')
}

function normalizeLineBreaks(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

function formatMoment(stored: Date | null): string[] {
  const [day = '', time = ''] = stored ? formatTimestamp(stored).split(' ') : []
  // The end of a day is stored as its last millisecond.
  return [day, stored?.getUTCMilliseconds() === 999 ? '' : time]
}

function parseMoment([day = '', time = '']: readonly string[]): string | null {
  if (!day && !time) return null
  if (!time) return day
  // Browsers omit zero seconds.
  return `${day} ${/^\d\d:\d\d$/.test(time) ? `${time}:00` : time}`
}
