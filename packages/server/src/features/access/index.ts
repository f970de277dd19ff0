export { createAuthenticate } from './authenticate.ts'
export { BootstrapKeyUnusable, type BootstrapOptions, type Bootstrapped, bootstrap } from './bootstrap.ts'

/** Keys are managed by operations of a later release. */
export const accessOperations = []
