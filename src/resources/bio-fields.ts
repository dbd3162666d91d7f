import { Type } from '@sinclair/typebox'
import { parseAccent } from '../domains/branded-domain.ts'
import { checkAll, invalid } from '../errors.ts'
import { createTextSchema } from '../links/field-kinds.ts'
import { normalizeOptionalText } from '../text.ts'
import { t } from '../texts.ts'
import { parseSlug } from '../urls/alias.ts'
import { parseDestinationUrl } from '../urls/destination-url.ts'
import type { BioButton } from './bios.queries.ts'
import { choiceField, optionalTextField, textField } from './field.ts'

/** A link without a title is shown with its host. */
type SentLink = { title?: string | null | undefined; url: string }

export const DEFAULT_THEME = 'auto'
export const DEFAULT_COLOR = '#0b6b5a'

const THEMES = ['auto', 'light', 'dark', 'color'] as const
const MAX_TITLE = 200
const MAX_TEXT = 5000
export const MAX_LINKS = 100

/** `auto` is light or dark, depending on the visitor's preference. `color` uses the page's color. */
const theme = choiceField({
  choices: THEMES,
  label: 'bio.theme',
  nameOf: (choice) => t(`bio.themes.${choice}`),
})

/** The properties of a bio page, except for its picture. */
export const bioFields = {
  alias: {
    ...textField({
      max: 256,
      description: 'The last part of the page’s URL, after /b/.',
      label: 'bio.alias',
      hint: (baseUrl) => t('bio.aliasHint', { prefix: `${baseUrl}/b/` }),
      maxLength: 64,
    }),
    read: (alias: string | null) => parseSlug('alias', alias ?? ''),
    enter: (text: string) => text.trim(),
  },
  title: textField({ max: MAX_TITLE, description: 'The heading.', label: 'bio.title' }),
  text: {
    ...optionalTextField({
      max: MAX_TEXT,
      description: 'The text below the heading.',
      label: 'bio.text',
      type: 'multiline',
    }),
    read: (text: string | null) => normalizeOptionalText('text', text, MAX_TEXT) ?? '',
    // Browsers submit text areas with CRLF line breaks.
    enter: (text: string) => text.replaceAll('\r\n', '\n') || null,
  },
  theme: {
    ...theme,
    schema: Type.Union(
      THEMES.map((choice) => Type.Literal(choice)),
      { description: 'The theme. `auto`, the default, is light or dark as the visitor prefers.' },
    ),
    isOptional: true,
    read: (choice: string | null) => theme.read(choice ?? DEFAULT_THEME, 'theme'),
    enter: (text: string) => text || null,
  },
  color: {
    schema: Type.String({
      pattern: '^#[0-9A-Fa-f]{6}$',
      description: 'The background of the theme `color`.',
    }),
    reply: Type.String(),
    isOptional: true,
    read: (color: string | null) => parseAccent(color ?? DEFAULT_COLOR, 'color'),
    present: (color: string) => color,
    input: { label: 'bio.color', type: 'color', hint: 'bio.colorHint' },
    enter: (text: string) => text || null,
  },
  links: {
    schema: Type.Array(
      Type.Object({
        title: Type.Optional(
          Type.String({
            maxLength: MAX_TITLE,
            format: 'text',
            description: 'Default: the host of the URL.',
          }),
        ),
        url: createTextSchema(8192),
      }),
      { maxItems: MAX_LINKS, description: 'The links in display order.' },
    ),
    reply: Type.Array(
      Type.Object({
        title: Type.String(),
        url: Type.String(),
        clicks: Type.Union([Type.Integer(), Type.Null()], {
          description: 'Null for URLs of this service other than the account’s short links.',
        }),
      }),
    ),
    isOptional: true,
    read: (links: readonly SentLink[] | null): BioButton[] => readLinks(links ?? []),
    present: (links: BioButton[]) =>
      links.map(({ title, url, clicks = null }) => ({ title, url, clicks })),
    // The console's form has rows for it.
    input: { label: 'bio.links.label' },
    enter: () => null,
  },
} as const

/** @throws AppError `invalid_input` naming the field of a link, such as `links[0].url` */
function readLinks(links: readonly SentLink[]): BioButton[] {
  if (links.length > MAX_LINKS) throw invalid('links', 'at_most', { max: MAX_LINKS })
  const readLink = ({ title, url }: SentLink, index: number) => {
    const [target, name] = checkAll(
      () => parseDestinationUrl(`links[${index}].url`, url),
      () => normalizeOptionalText(`links[${index}].title`, title, MAX_TITLE),
    )
    return { title: name ?? target.host, url: target.href }
  }
  return checkAll(...links.map((link, index) => () => readLink(link, index)))
}
