/** Exports what the command line uses: back up, restore, rotate encryption keys, and reset passwords. */
export {
  type BackUpOptions,
  type BackupManifest,
  BackupRefused,
  backUp,
  type Restored,
  type RestoreOptions,
  restore,
  rowsOf,
  UnusableBackup,
} from './backup/index.ts'
export { AccountNotFound } from './features/identity/sign-in/index.ts'
export {
  type KeyStatus,
  type Rotated,
  type RotateOptions,
  RotationRefused,
  type RotationStep,
  readKeyStatus,
  readRunningKeyStatus,
  rotateKeys,
} from './keys/index.ts'
export { createResetLink } from './reset-link.ts'
