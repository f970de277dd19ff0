import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `npm run dev` finds a running service. */
const service = 'http://localhost:4100'

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  resolve: { conditions: ['mortise-source', 'browser', 'module', 'import', 'default'] },
  build: {
    outDir: 'dist/browser',
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    // The licenses of the packages inside the scripts, as a file beside them.
    license: { fileName: 'licenses.md' },
    // The pages' style is small, and one file needs no second request when a route loads.
    cssCodeSplit: false,
    // The policy of the page forbids inline scripts.
    modulePreload: { polyfill: false },
    // What the console starts with is one script: a dozen small ones take a slow browser longer.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'console', tags: ['$initial'] }] } } },
  },
  server: { proxy: { '/v1': service, '/console/token': service, '/console/signout': service, '/signin': service } },
})
