import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import type { AnyResource, Fields, Values } from '../../../resources/definition.ts'
import { t } from '../../../texts.ts'
import { defineForm, type FormValues, type Specs } from '../kit/form.ts'
import type { Spec } from '../kit/spec.ts'
import type { Column } from '../kit/table.ts'
import { formatMoment } from '../shell/format.ts'
import type { Section } from '../shell/navigation.ts'
import { type Resource, registerResource } from './resource.ts'

type Stored = Awaited<ReturnType<AnyResource['get']>>

/** What only one resource has, such as a preview, or columns that are more than texts. */
type Own<E extends Stored> = Partial<
  Omit<Resource<E, Specs>, 'valuesOf'> & { valuesOf: (entry: E) => object }
>

/** Registers the list, the forms and the deletion of a resource. */
export function registerResourcePages<E extends Stored>(
  app: FastifyInstance,
  ctx: HttpContext,
  resource: AnyResource & { get(...input: Parameters<AnyResource['get']>): Promise<E> },
  own: Own<E> = {},
): void {
  const { fields, pages } = resource
  const specs = createSpecs(fields, ctx)
  const changeable = Object.entries(specs).filter(([name]) => !fields[name]?.isFixed)
  const options = pages.codes ? { codes: pages.codes } : {}

  registerResource<E, Specs>(app, {
    section: pages.section as Section,
    words: pages.words,
    nameOf: (entry) => entry[pages.title],
    columns: (timeZone) => pages.columns.map((name) => createColumn(name, timeZone)),
    list: resource.list,
    get: resource.get,
    remove: resource.remove,
    form: defineForm(specs, options),
    editForm: defineForm(Object.fromEntries(changeable), options),
    valuesOf: (entry) => entry,
    add: (scope, values) => resource.create(scope, enterValues(resource, values)),
    update: (scope, id, values) => resource.update(scope, id, enterValues(resource, values)),
    ...own,
  } as Resource<E, Specs>)

  function createColumn(name: string, timeZone: string): Column<E> {
    if (name === 'createdAt')
      return {
        head: t('resource.created'),
        className: 'when',
        cell: ({ createdAt }) => formatMoment(createdAt, timeZone),
      }
    const { label, nameOf = (value) => value } = (fields[name] as Fields[string]).input
    return { head: t(label), cell: (entry) => nameOf(entry[name] as string, ctx) }
  }
}

/** Returns the values that were entered in a form. */
export function enterValues<F extends Fields>(
  { fields }: { fields: F },
  values: FormValues<Specs>,
): Values<F> {
  const entered = Object.entries(fields)
    .filter(([name]) => values[name] !== undefined)
    .map(([name, field]) => [name, field.enter(String(values[name]))])
  return Object.fromEntries(entered)
}

/** Returns the fields of a form. */
export function createSpecs<F extends Fields>(fields: F, ctx: HttpContext): Record<keyof F, Spec> {
  const specs = Object.entries(fields).map(([name, { input, isOptional }]): [string, Spec] => {
    const { hint, choices = [], nameOf = (choice) => choice, ...spec } = input
    return [
      name,
      {
        ...spec,
        ...(isOptional && { optional: true }),
        ...(hint && { hint: typeof hint === 'string' ? hint : () => hint(ctx.config.baseUrl) }),
        choices: () => choices.map((value) => ({ value, label: nameOf(value, ctx) })),
      },
    ]
  })
  return Object.fromEntries(specs) as Record<keyof F, Spec>
}
