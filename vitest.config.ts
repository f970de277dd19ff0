import { defineConfig } from 'vitest/config'

/**
 * Tests run from the TypeScript sources, as the service does: the `source` export condition, no build. The condition
 * `import` stays out: it would reach every require() too, and CommonJS packages (pg) then load the wrong half of others.
 */
const shared = {
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source', 'node', 'default'] } },
}
const limits = { testTimeout: 30_000, hookTimeout: 60_000, exclude: ['**/node_modules/**', '**/dist/**'] }

export default defineConfig({
  test: {
    // Twice what two cores have: the longest tests wait for processes that they have killed, and for the clock.
    maxWorkers: 4,
    projects: [
      {
        ...shared,
        test: {
          ...limits,
          name: 'parts',
          include: [
            'packages/manifest/**/*.test.ts',
            'packages/providers/**/*.test.ts',
            'packages/server/src/kernel/{net,seal,http,telemetry}/**/*.test.ts',
            'packages/server/src/kernel/db/embedded/**/*.test.ts',
            'examples/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
        },
      },
      {
        ...shared,
        test: {
          ...limits,
          name: 'service',
          globalSetup: ['packages/server/src/testkit/global-setup.ts'],
          include: [
            'packages/server/src/*.test.ts',
            'packages/server/src/kernel/{db,jobs}/*.test.ts',
            'packages/server/src/features/**/*.test.ts',
            'e2e/**/*.test.ts',
          ],
        },
      },
    ],
  },
})
