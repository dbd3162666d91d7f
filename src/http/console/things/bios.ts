import type { BioPage } from '../../../bio/bio.ts'
import { shortUrlOf } from '../../../links/short-url.ts'
import type { Services } from '../../../services.ts'
import { linesOf } from './lines.ts'
import type { Thing, Values } from './thing.ts'

export function bioThing({ bios, config }: Services): Thing<BioPage> {
  const fields: Thing<BioPage>['fields']['make'] = [
    { name: 'title', label: 'Title', maxLength: 200 },
    {
      name: 'alias',
      label: 'Alias',
      maxLength: 64,
      hint: `The page will be at ${config.baseUrl}/b/ and this.`,
    },
    { name: 'text', label: 'Text', type: 'multiline', maxLength: 5000, optional: true },
    {
      name: 'links',
      label: 'Links',
      type: 'multiline',
      optional: true,
      hint: 'One a line, in their order: the address, and behind a blank what it is called.',
    },
  ]
  return {
    words: {
      place: '/console/bios',
      one: 'a bio page',
      name: 'bio page',
      many: 'Bio pages',
      about:
        'A bio page is a public page with your links, for the one address that a profile can hold.',
      deletion: 'Its address answers nobody any more, and it leaves its channels.',
    },
    columns: ['Address', 'Links'],
    nameOf: ({ title }) => title,
    cellsOf: ({ alias, links }) => [
      { address: shortUrlOf(`${config.baseUrl}/b`, alias) },
      { text: String(links.length) },
    ],
    fields: { make: fields, change: fields },
    valuesOf: ({ title, alias, text, links }) => ({
      title,
      alias,
      text,
      links: links.map(({ url, title }) => `${url} ${title}`).join('\n'),
    }),
    list: bios.list,
    get: bios.get,
    add: (accountId, values) => bios.add(accountId, inputOf(values)),
    update: (accountId, id, values) => bios.update(accountId, id, inputOf(values)),
    remove: bios.delete,
  }
}

function inputOf({ title = '', alias = '', text = '', links = '' }: Values) {
  return {
    title,
    alias: alias.trim(),
    text: text || null,
    links: linesOf(links).map((line) => {
      const [url = line, ...words] = line.split(/\s+/)
      return { url, title: words.join(' ') }
    }),
  }
}
