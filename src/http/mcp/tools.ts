import type { Tool as ToolDescription } from '@modelcontextprotocol/server'
import { isScopeSufficient, type KeyRights } from '../../identity/key-scope.ts'
import { bulkTools } from './bulk-tools.ts'
import { linkTools } from './link-tools.ts'
import { readingTools } from './reading-tools.ts'
import { statisticsTool } from './statistics-tool.ts'
import type { Tool } from './tool.ts'
import { undoTools } from './undo-tools.ts'

const TOOLS: readonly Tool[] = [
  ...linkTools,
  ...bulkTools,
  statisticsTool,
  ...readingTools,
  ...undoTools,
]

/** Returns the tools that a key may call. */
export function listTools({ scope, domain }: KeyRights): ToolDescription[] {
  return TOOLS.filter(
    ({ access }) => isScopeSufficient(scope, access.scope) && (!domain || access.boundKeys),
  ).map(({ published }) => published)
}

/** Returns the tool with this name, or undefined. A key may be unable to call it. */
export function findTool(name: string): Tool | undefined {
  return TOOLS.find((tool) => tool.name === name)
}
