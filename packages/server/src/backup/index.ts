export { type BackUpOptions, backUp } from './back-up.ts'
export { type BackupManifest, rowsOf } from './manifest.ts'
export { BackupRefused, UnusableBackup } from './problems.ts'
export { type Restored, type RestoreOptions, restore } from './restore.ts'
