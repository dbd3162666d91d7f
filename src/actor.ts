/** The parts of the program that create and change links. */
export const SURFACES = [
  'console',
  'api',
  'legacy-api',
  'yourls-api',
  'mcp',
  'import',
  'admin',
  'command-line',
] as const

export type Surface = (typeof SURFACES)[number]

/**
 * The author of a change: a user in the console, an API key (of a client of an API, or of an agent), or
 * an import. `id` is null for admins and commands.
 */
export type Actor = { surface: Surface; id: number | null }

export const ADMIN: Actor = { surface: 'admin', id: null }
export const COMMANDS: Actor = { surface: 'command-line', id: null }

/** Returns whether an actor is an agent, which may undo its changes for a day. */
export function isAgent({ surface }: Actor): boolean {
  return surface === 'mcp'
}

/** Returns the actor in stored form, such as `api:12` or `admin`. */
export function formatActor({ surface, id }: Actor): string {
  return id === null ? surface : `${surface}:${id}`
}

/** Parses an actor in stored form. */
export function parseActor(text: string): Actor {
  const [name, id] = text.split(':')
  const surface = SURFACES.find((each) => each === name)
  if (!surface) throw new Error(`unknown surface ${name}`)
  return { surface, id: id === undefined ? null : Number(id) }
}
