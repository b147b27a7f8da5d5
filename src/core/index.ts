export * from './errors.ts';
export * from './model/config.ts';
export * from './model/records.ts';
