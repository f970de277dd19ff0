/**
 * The release whose nodes may run at the same time as those of this one, by the last migration that it knows.
 * `scripts/write-last-release.ts` writes it when a release is made.
 */
export const lastRelease = { version: '0.1.0', migration: '0060-keys-by-project' }
