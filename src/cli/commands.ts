import {
  accountCreate,
  accountDelete,
  accountList,
  accountPlan,
  accountRemoveSecondFactor,
  accountResetPassword,
  accountResume,
  accountSuspend,
  userAdmin,
  userList,
} from './account.ts'
import { backUpDatabase, restoreDatabase } from './backup.ts'
import type { Command } from './command.ts'
import { hostBlock, hostList, hostUnblock } from './host.ts'
import {
  clusterDistribute,
  doctor,
  journalInspect,
  migrateDatabase,
  startService,
  statsCheck,
  storeCheck,
} from './installation.ts'
import { keyCreate, keyExpire, keyList, keyRevoke, keyRotate } from './key.ts'
import { linkConfirm, linkDisable, linkEnable, linkGuesses, linkHeld, linkRelease } from './link.ts'
import {
  bioAdd,
  bioDelete,
  bioList,
  overlayAdd,
  overlayAnswers,
  overlayDelete,
  overlayList,
  splashAdd,
  splashDelete,
  splashList,
} from './pages.ts'
import { shortenCommand } from './shorten.ts'
import { exportLinksCommand, importLinksCommand, publishLinks } from './transfer.ts'

/** The descriptions of commands that have subcommands. */
export const commandGroups: Readonly<Record<string, string>> = {
  account: 'create, suspend and delete accounts',
  user: 'list users and appoint admins',
  key: 'manage the API keys of an account',
  link: 'disable links and review held links',
  host: 'block destination hosts',
  overlay: 'manage the overlays of an account',
  splash: 'manage the splash pages of an account',
  bio: 'manage the bio pages of an account',
  stats: 'check the statistics',
  store: 'check the link store',
  cluster: 'set up a Citus cluster',
}

/** Every command by the words after `brevis`. */
export const commands: Readonly<Record<string, Command>> = {
  start: startService,
  doctor,
  'account create': accountCreate,
  'account list': accountList,
  'account suspend': accountSuspend,
  'account resume': accountResume,
  'account plan': accountPlan,
  'account delete': accountDelete,
  'account reset-password': accountResetPassword,
  'account remove-second-factor': accountRemoveSecondFactor,
  'user list': userList,
  'user admin': userAdmin,
  'key list': keyList,
  'key create': keyCreate,
  'key rotate': keyRotate,
  'key revoke': keyRevoke,
  'key expire': keyExpire,
  'link disable': linkDisable,
  'link enable': linkEnable,
  'link guesses': linkGuesses,
  'link held': linkHeld,
  'link confirm': linkConfirm,
  'link release': linkRelease,
  'host block': hostBlock,
  'host unblock': hostUnblock,
  'host list': hostList,
  'overlay add': overlayAdd,
  'overlay list': overlayList,
  'overlay delete': overlayDelete,
  'overlay answers': overlayAnswers,
  'splash add': splashAdd,
  'splash list': splashList,
  'splash delete': splashDelete,
  'bio add': bioAdd,
  'bio list': bioList,
  'bio delete': bioDelete,
  import: importLinksCommand,
  export: exportLinksCommand,
  shorten: shortenCommand,
  publish: publishLinks,
  migrate: migrateDatabase,
  'stats check': statsCheck,
  'store check': storeCheck,
  journal: journalInspect,
  backup: backUpDatabase,
  restore: restoreDatabase,
  'cluster distribute': clusterDistribute,
}
