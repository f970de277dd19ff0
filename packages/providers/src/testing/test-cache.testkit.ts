import { fileURLToPath } from 'node:url'

/**
 * Where tests keep the compiled catalogue, so that the YAML of 240 providers is not parsed anew for every file of
 * tests.
 */
export const testCache = fileURLToPath(new URL('../../../../node_modules/.cache/catalogue', import.meta.url))
