import { invalid } from '../../errors.ts'

/** The shapes of the modules. */
export const DOTS = ['square', 'rounded', 'dots'] as const
/** The shapes of the three finder patterns. */
export const EYES = ['square', 'rounded', 'circle'] as const

export type CodeStyle = {
  dots: (typeof DOTS)[number]
  eyes: (typeof EYES)[number]
  /** The text in the frame, or null if the code has no frame. */
  caption: string | null
}

export const PLAIN_STYLE: CodeStyle = { dots: 'square', eyes: 'square', caption: null }

/** Returns whether a style has only square shapes and no frame. Such codes can be drawn faster. */
export function isPlain({ dots, eyes, caption }: CodeStyle): boolean {
  return dots === 'square' && eyes === 'square' && caption === null
}

/** Parses the name of a shape. Throws `invalid_input` naming the field. */
export function parseShape<Name extends string>(
  field: string,
  text: string,
  names: readonly Name[],
): Name {
  const shape = names.find((name) => name === text)
  if (!shape)
    throw invalid(field, 'one_or_other', {
      choices: names.slice(0, -1).join(', '),
      last: names.at(-1) ?? '',
    })
  return shape
}
