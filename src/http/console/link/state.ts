import {
  type Calendar,
  type Choice,
  type ChoiceQuery,
  choiceParameters,
  readChoice,
} from '../../../clicks/read.ts'
import { AppError } from '../../../errors.ts'
import { type CodeLook, lookParameters, readLook } from './code-form.ts'

/** What of a link's page is looked at: all of it stands in the page's address. */
export type State = {
  choice: Choice
  compare: boolean
  look: CodeLook
}

type Query = Readonly<Record<string, unknown>>

/** The period that an address asks for. @throws AppError `invalid_input` naming the parameter */
export function readPeriodOf(query: Query, calendar: Calendar): Choice {
  const text = (name: keyof ChoiceQuery) => {
    const value = query[name]
    return typeof value === 'string' ? value.trim() : undefined
  }
  const wanted = { from: text('from'), to: text('to'), interval: text('interval') }
  return readChoice({ ...wanted, period: text('period') }, calendar)
}

/** What an address asks for; what is wrong with it comes with the usual period in its place. */
export function readState(query: Query, calendar: Calendar): State & { error?: string } {
  const rest = { compare: query.compare === '1', look: readLook(query) }
  try {
    return { ...rest, choice: readPeriodOf(query, calendar) }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_input') throw error
    const message = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`
    return { ...rest, choice: readChoice({}, calendar), error: message }
  }
}

/** A state as parameters of an address; a period without an interval is shown as is usual for it. */
export function parametersOf(
  {
    choice,
    compare,
    look,
  }: Omit<State, 'choice'> & { choice: Parameters<typeof choiceParameters>[0] },
  calendar: Calendar,
): [string, string][] {
  return [
    ...choiceParameters(choice, calendar),
    ...(compare ? [['compare', '1'] satisfies [string, string]] : []),
    ...lookParameters(look),
  ]
}

/** An address of a path with parameters. */
export function addressOf(path: string, parameters: readonly [string, string][]): string {
  return parameters.length === 0
    ? path
    : `${path}?${new URLSearchParams(parameters.map(([name, value]) => [name, value]))}`
}
