import { defineConfig } from 'vitest/config'

/**
 * Tests run from the TypeScript sources, as the service does: the `source` export condition, no build. The condition
 * `import` is left out: it would reach every require() too, and CommonJS packages then load the wrong half of others.
 */
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source', 'node', 'default'] } },
  test: {
    include: ['packages/**/*.test.ts', 'examples/**/*.test.ts', 'e2e/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
