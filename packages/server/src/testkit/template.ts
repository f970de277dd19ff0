/** Name of the database that `global-setup.ts` migrates and tests clone. */
export const templateDatabase = 'mortise_template'
