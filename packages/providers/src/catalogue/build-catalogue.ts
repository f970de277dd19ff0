import { writeBuiltCatalogue } from './built-catalogue.ts'

/** A program of `npm run build`. */
await writeBuiltCatalogue()
