/** A backup cannot be made or restored. The message says why and what to do. */
export class BackupRefused extends Error {
  override name = 'BackupRefused'
}

/** This release cannot restore the file completely. */
export class UnusableBackup extends Error {
  override name = 'UnusableBackup'
}
