/**
 * How values are written as text, whatever the server's own settings: the same when they are read and when they are
 * written.
 */
export const sessionSettings = `
  set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'iso_8601';
  set local bytea_output = 'hex'; set local extra_float_digits = 1`
