/** A backup cannot be made or restored; the message says why and what to do, to the person at the terminal. */
export class BackupRefused extends Error {
  override name = 'BackupRefused'
}

/** The file is no backup that this release can restore whole. */
export class UnusableBackup extends Error {
  override name = 'UnusableBackup'
}
