/** The version of this package; a test holds it to package.json, so that no file is read at run time. */
export const version = '0.1.0';
