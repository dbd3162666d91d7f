import { bios } from './bios.ts'
import { campaigns } from './campaigns.ts'
import { channels } from './channels.ts'
import type { AnyResource } from './definition.ts'
import { overlays } from './overlays.ts'
import { pixels } from './pixels.ts'
import { splashes } from './splashes.ts'

/** Resources that are nothing but their definition on every surface. */
export const PLAIN_RESOURCES: readonly AnyResource[] = [pixels]

/** All resources. Their rows are deleted with their account. */
export const RESOURCES: readonly AnyResource[] = [
  campaigns,
  channels,
  overlays,
  splashes,
  bios,
  ...PLAIN_RESOURCES,
]
