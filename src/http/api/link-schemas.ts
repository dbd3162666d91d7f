import { Type } from '@sinclair/typebox'
import {
  MAX_DESCRIPTION,
  MAX_PARAMETER_NAME,
  MAX_PARAMETER_VALUE,
  MAX_PARAMETERS,
  MAX_PASSWORD,
  MAX_PIXELS,
  MAX_TITLE,
} from '../../links/rules/lengths.ts'
import { Clearable, Id, Text, Timestamp } from './schemas.ts'

const Url = (description: string) => Text(32_768, { minLength: 1, description })

const fields = {
  custom: Text(256, { description: 'alias instead of a random one; may be percent-encoded' }),
  type: Text(64, {
    description: 'direct, frame or splash; 12 for splash page 12; overlay-12 for overlay 12',
  }),
  password: Text(MAX_PASSWORD, { description: 'visitors are asked for it' }),
  domain: Text(300, { description: 'a branded domain of the account' }),
  expiry: Text(19, {
    description: 'YYYY-MM-DD HH:MM:SS, or YYYY-MM-DD for the end of that day, UTC',
  }),
  geotarget: Type.Array(
    Type.Object({
      location: Text(64, { description: 'English country name or ISO 3166-1 alpha-2' }),
      link: Url('target for visitors from there'),
    }),
    { maxItems: 250 },
  ),
  devicetarget: Type.Array(
    Type.Object({
      device: Text(64, {
        description:
          'iphone, ipad, android, windows, macos, linux, chromeos, mobile, tablet or desktop',
      }),
      link: Url('target for visitors with it'),
    }),
    { maxItems: 250 },
  ),
  languagetarget: Type.Array(
    Type.Object({
      language: Text(64, { description: 'ISO 639-1, with or without a region: en, en-GB' }),
      link: Url('target for visitors who read it'),
    }),
    { maxItems: 250 },
  ),
  parameters: Type.Array(
    Type.Object({
      name: Type.Optional(Type.Union([Text(MAX_PARAMETER_NAME), Type.Null()])),
      value: Type.Optional(Type.Union([Text(MAX_PARAMETER_VALUE), Type.Null()])),
    }),
    {
      maxItems: MAX_PARAMETERS,
      description: 'appended to the target; entries without a name are skipped',
    },
  ),
  metatitle: Text(MAX_TITLE),
  metadescription: Text(MAX_DESCRIPTION),
  metaimage: Text(8192, { description: 'URL of a jpg or png image' }),
  pixels: Type.Array(Id, {
    maxItems: MAX_PIXELS,
    description: 'ids of the account’s pixels to fire',
  }),
  tags: Type.Array(Text(256), {
    maxItems: 100,
    description: 'up to 20 of 1 to 50 characters each, compared without case',
  }),
}

const target = Url('the long URL: http or https, up to 8,192 bytes')

export const LinkCreate = Type.Object(
  {
    url: target,
    custom: Type.Optional(fields.custom),
    type: Type.Optional(fields.type),
    password: Type.Optional(fields.password),
    domain: Type.Optional(fields.domain),
    expiry: Type.Optional(fields.expiry),
    geotarget: Type.Optional(fields.geotarget),
    devicetarget: Type.Optional(fields.devicetarget),
    languagetarget: Type.Optional(fields.languagetarget),
    parameters: Type.Optional(fields.parameters),
    metatitle: Type.Optional(fields.metatitle),
    metadescription: Type.Optional(fields.metadescription),
    metaimage: Type.Optional(fields.metaimage),
    pixels: Type.Optional(fields.pixels),
    tags: Type.Optional(fields.tags),
  },
  { examples: [{ url: 'https://example.com/a/long/page' }] },
)

export const LinkUpdate = Type.Object(
  {
    url: target,
    custom: Clearable(fields.custom),
    type: Clearable(fields.type),
    password: Clearable(fields.password),
    domain: Clearable(fields.domain),
    expiry: Clearable(fields.expiry),
    geotarget: Clearable(fields.geotarget),
    devicetarget: Clearable(fields.devicetarget),
    languagetarget: Clearable(fields.languagetarget),
    parameters: Clearable(fields.parameters),
    metatitle: Clearable(fields.metatitle),
    metadescription: Clearable(fields.metadescription),
    metaimage: Clearable(fields.metaimage),
    pixels: Clearable(fields.pixels),
    tags: Clearable(fields.tags),
  },
  {
    description: 'Fields that are absent or null stay as they are; "" and [] clear.',
    examples: [{ url: 'https://example.com/another/page', metatitle: 'A page' }],
  },
)

export const LinkEntry = Type.Object({
  id: Id,
  alias: Type.String(),
  shorturl: Type.String(),
  longurl: Type.String(),
  clicks: Type.Integer(),
  title: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  date: Timestamp,
})

const TargetMap = Type.Record(Type.String(), Type.String())

export const LinkDetails = Type.Object({
  id: Id,
  alias: Type.String(),
  shorturl: Type.String(),
  longurl: Type.String(),
  title: Type.String(),
  description: Type.String(),
  location: TargetMap,
  device: TargetMap,
  language: TargetMap,
  parameters: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  type: Type.String(),
  tags: Type.Array(Type.String()),
  password: Type.Boolean(),
  status: Type.Union([Type.Literal('active'), Type.Literal('disabled')]),
  expiry: Type.Union([Timestamp, Type.Null()]),
  date: Timestamp,
})
