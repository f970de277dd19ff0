/**
 * `npm run demo`: the main job as a guided tour in the terminal. With `--to postgres`: the records of three customers
 * in one table. With `--browser`: a product in the browser, in which you connect an account yourself.
 */
const { argv } = process
const to = argv.includes('--to') ? argv[argv.indexOf('--to') + 1] : undefined
if (argv.includes('--to') && to !== 'postgres') {
  console.error('--to takes postgres.')
  process.exit(2)
}
if (argv.includes('--browser')) await import('./src/browser/main.ts')
else await (to === 'postgres' ? import('./src/tables-tour.ts') : import('./src/tour.ts'))
