/** What programs beside the service use of it: the command line backs up and restores. */
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
