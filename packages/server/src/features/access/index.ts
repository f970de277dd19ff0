export { createAuthenticate } from './authenticate.ts'
export { BootstrapKeyUnusable, type BootstrapOptions, type Bootstrapped, bootstrap } from './bootstrap.ts'
