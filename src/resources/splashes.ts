import { Type } from '@sinclair/typebox'
import { tAll } from '../texts.ts'
import type { EntryOf } from './definition.ts'
import { destinationField, numberField, privateName, textField, urlField } from './field.ts'
import { defineResource } from './resource.ts'

/** A page that visitors of a link see before its destination. */
export type SplashPage = EntryOf<typeof splashes>

/** Splash pages. Links whose page is deleted show the default one. */
export const splashes = defineResource({
  table: 'splash_pages',
  part: 'splash',
  fields: {
    name: privateName,
    title: textField({ max: 200, description: 'The heading.', label: 'splash.heading' }),
    message: textField({
      max: 5000,
      description: 'The text.',
      label: 'splash.message',
      type: 'multiline',
    }),
    image: urlField({ description: 'The URL of the image.', label: 'splash.image' }),
    link: destinationField({
      description: 'The URL that the image links to.',
      label: 'splash.link',
    }),
    /** With 0 or null, the page waits for the visitor. */
    seconds: {
      ...numberField({
        min: 0,
        max: 300,
        description: 'Seconds until the visitor is redirected, up to 300; 0 waits for a click.',
        label: 'splash.seconds',
        hint: 'splash.secondsHint',
      }),
      reply: Type.Integer({ description: '0 if the page waits for a click.' }),
    },
  },
  listed: ['name'],
  api: {
    listPath: '/splash',
    path: '/splash',
    collection: 'splash',
    tag: 'overlays and splash pages',
    noun: 'splash page',
    summaries: {
      list: 'List custom splash pages',
      get: 'Get a splash page',
      create: 'Create a splash page',
      update: 'Update a splash page',
      remove: 'Delete a splash page',
    },
    create: {
      example: { name: 'Notice', title: 'You are leaving us', message: 'Come back soon.' },
    },
    update: {
      description: 'Absent or null fields keep their values; "" clears a field.',
      example: { seconds: 10 },
    },
    entry: ['id', 'name', 'date'],
    details: ['id', 'name', 'date', 'title', 'message', 'image', 'link', 'seconds'],
  },
  pages: {
    section: '/console/splashes',
    words: () => tAll('splash.words'),
    title: 'name',
    columns: ['createdAt'],
  },
})
