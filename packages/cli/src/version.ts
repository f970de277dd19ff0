import packageJson from '../package.json' with { type: 'json' }

/** Of the command line, and of the service that it was made with. */
export const version: string = packageJson.version
