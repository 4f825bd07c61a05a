export { type SqliteLeaseOptions, SqliteLeaseProvider } from './provider.js';
