/**
 * `npm run demo`: the main job as a guided tour in the terminal. With `--browser`: a product in the browser, in which
 * you connect an account yourself.
 */
await (process.argv.includes('--browser') ? import('./src/browser/main.ts') : import('./src/tour.ts'))
